/** Returns the address of a rule's source: a page, or a file of the version of Cluster API whose behaviour is described. */
export function linkTo(source: string): string {
  if (source.startsWith("https://")) return source;
  return `https://github.com/kubernetes-sigs/cluster-api/blob/v1.14.0/${source}`;
}
