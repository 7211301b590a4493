/** When the page has been loaded and has nothing better to do: the time for what the first look at it does not need. */
export function afterLoad(): Promise<void> {
  const loaded =
    document.readyState === "complete"
      ? Promise.resolve()
      : new Promise<void>((resolve) => window.addEventListener("load", () => resolve(), { once: true }));
  return loaded.then(
    () =>
      new Promise((resolve) => {
        if ("requestIdleCallback" in window) window.requestIdleCallback(() => resolve(), { timeout: 500 });
        else setTimeout(resolve, 1);
      }),
  );
}
