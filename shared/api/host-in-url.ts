/** Returns a host as it stands in front of a port: an IPv6 address in brackets, also one that a provider writes with them. */
export function hostInUrl(host = ""): string {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return bare.includes(":") ? `[${bare}]` : bare;
}
