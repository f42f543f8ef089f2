/** Returns `{ [name]: value }`, or nothing at all: a member that is `undefined` would still be a member. */
export function present<Name extends string, T>(
  name: Name,
  value: T | undefined,
): { readonly [Key in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]: T });
}
