/** Queries of routes that need one. */
const QUERIES: { readonly [path: string]: string } = {
  "/search": "?q=terminal",
  "/objects/{kind}/{namespace}/{name}/children": "?kind=MachinePool",
};

/**
 * Every GET of a console, with these values for its parameters, encoded. A route with a parameter that has no value is
 * an error: a tour leaves nothing out.
 */
export function tourOf(
  routes: readonly string[],
  values: { readonly [parameter: string]: string },
): readonly string[] {
  return routes
    .filter((route) => route.startsWith("GET "))
    .map((route) => {
      const path = route.slice("GET ".length);
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = values[name];
        if (value === undefined) throw new Error(`${path}: there is no value for ${name}`);
        return encodeURIComponent(value);
      });
      return `${filled}${QUERIES[path] ?? ""}`;
    });
}
