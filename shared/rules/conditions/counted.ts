/** Returns `1 Cluster`, `2 Clusters`. */
export function counted(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}
