/** Returns the text that clusterctl replaces by the value of a variable; without `otherwise` the user must give one. */
export function variable(name: string, otherwise?: string | number): string {
  return `\${${name}${otherwise === undefined ? "" : `:=${otherwise}`}}`;
}
