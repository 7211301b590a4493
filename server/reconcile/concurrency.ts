/** Passes at the same time, per kind. controller-runtime's default is 1; a pass mostly waits for the API server, and this many keep one busy. */
export const CONCURRENCY = 16;
