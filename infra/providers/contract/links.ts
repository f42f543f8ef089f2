/** The version of Cluster API whose behaviour rules and findings describe. */
export const CORE_VERSION = "v1.14.2";

/** Returns the address of a rule's source: a page, or a file of that version. */
export function linkTo(source: string): string {
  if (source.startsWith("https://")) return source;
  return `https://github.com/kubernetes-sigs/cluster-api/blob/${CORE_VERSION}/${source}`;
}
