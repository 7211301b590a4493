/**
 * The base of every error class of ours. The pages are built apart from the process that they run in, so a class is there
 * twice, and one copy must know what the other throws: by a name, given as text because a build shortens those of classes.
 */
export function ownError(name: string) {
  const brand = Symbol.for(`orrery.${name}`);
  return class extends Error {
    override readonly name = name;

    constructor(message?: string, options?: ErrorOptions) {
      super(message, options);
      Object.defineProperty(this, brand, { value: true });
    }

    static [Symbol.hasInstance](value: unknown): boolean {
      return typeof value === "object" && value !== null && brand in value;
    }
  };
}
