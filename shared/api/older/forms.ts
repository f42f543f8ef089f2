import { type ContractReference, groupOf } from "../kinds.ts";
import type { Structural } from "../structural.ts";
import { toDuration, toSeconds } from "./duration.ts";
import { isFields } from "./fields.ts";
import type { Form } from "./rule.ts";

/** Finds the `apiVersion` of a kind for a reference of an older version. */
export type VersionLookup = (group: string, kind: string) => string;

/** `up`: to v1beta2; `down`: to the older version. */
export type Direction = "up" | "down";

/** Facts that a conversion needs beside the object. */
export interface Around {
  readonly to: Direction;
  readonly namespace: string | undefined;
  readonly versionOf: VersionLookup;
}

/** A value that an older version has in another form; `undefined`: there is none. Both ways throw Error for a wrong value. */
interface FormSpec {
  readonly up: (value: unknown) => unknown;
  readonly down: (value: unknown, around: Around) => unknown;
  /** Returns the value that stands for none where there must be one. Default none. */
  readonly empty?: (around: Around) => unknown;
  /** Its schema in the older version. */
  readonly schema: (present: Structural) => Structural;
}

const TEXT = { type: "string" };
const REFERENCE: Structural = {
  type: "object",
  properties: Object.fromEntries(
    ["apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"].map((name) => [
      name,
      TEXT,
    ]),
  ),
  "x-kubernetes-map-type": "atomic",
};

function membersOf(value: unknown, names: readonly string[]): { readonly [name: string]: string } {
  if (!isFields(value)) throw new Error("must be an object");
  const members: [string, string][] = [];
  for (const name of names) {
    const member = value[name] ?? "";
    if (typeof member !== "string") throw new Error(`${name} must be a text`);
    if (member !== "") members.push([name, member]);
  }
  return Object.fromEntries(members);
}

function orNone<T extends object>(members: T): T | undefined {
  return Object.keys(members).length === 0 ? undefined : members;
}

/** The version of a reference says nothing in v1beta2: providers' definitions say which one counts. */
function toContractReference(value: unknown): Partial<ContractReference> | undefined {
  const { apiVersion = "", ...others } = membersOf(value, ["apiVersion", "kind", "name"]);
  if (apiVersion.split("/").length > 2) throw new Error(`apiVersion "${apiVersion}" has more than one "/"`);
  const apiGroup = groupOf(apiVersion);
  return orNone(apiGroup === "" ? others : { apiGroup, ...others });
}

function fromContractReference(value: unknown, { namespace, versionOf }: Around): object | undefined {
  const { apiGroup = "", kind = "", name } = membersOf(value, ["apiGroup", "kind", "name"]);
  if (apiGroup === "" && kind === "" && name === undefined) return undefined;
  return {
    apiVersion: versionOf(apiGroup, kind),
    ...(kind === "" ? {} : { kind }),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

const VERSIONED = ["apiVersion", "kind", "name"];
const toTemplate = (value: unknown) => orNone(membersOf(value, VERSIONED));
function fromTemplate(value: unknown, { namespace }: Around): object | undefined {
  const members = orNone(membersOf(value, VERSIONED));
  return members === undefined
    ? undefined
    : { ...members, ...(namespace === undefined ? {} : { namespace }) };
}

/** Returns the list of v1beta2, by name, from the map of v1beta1 (name → controlPlane, attributes). */
function toFailureDomains(value: unknown): readonly object[] | undefined {
  if (!isFields(value)) throw new Error("must be a map from names to failure domains");
  const domains = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, domain]) => {
      const { controlPlane, attributes } = domainOf(domain);
      return {
        ...(name === "" ? {} : { name }),
        controlPlane,
        ...(attributes === undefined ? {} : { attributes }),
      };
    });
  return domains.length === 0 ? undefined : domains;
}

function fromFailureDomains(value: unknown): object | undefined {
  if (!Array.isArray(value)) throw new Error("must be a list");
  return orNone(
    Object.fromEntries(
      value.map((domain: unknown) => {
        const { controlPlane, attributes } = domainOf(domain);
        const { name = "" } = membersOf(domain, ["name"]);
        return [
          name,
          { ...(controlPlane ? { controlPlane } : {}), ...(attributes === undefined ? {} : { attributes }) },
        ];
      }),
    ),
  );
}

function domainOf(value: unknown): { readonly controlPlane: boolean; readonly attributes: unknown } {
  const { controlPlane, attributes } = isFields(value) ? value : {};
  const has = isFields(attributes) && Object.keys(attributes).length > 0;
  return { controlPlane: controlPlane === true, attributes: has ? attributes : undefined };
}

const toNode = (value: unknown) => orNone(membersOf(value, ["name"]));
function fromNode(value: unknown): object | undefined {
  const node = toNode(value);
  return node === undefined ? undefined : { apiVersion: "v1", kind: "Node", ...node };
}

export const FORMS: { readonly [form in Form]: FormSpec } = {
  duration: {
    up: toSeconds,
    down: toDuration,
    empty: ({ to }) => (to === "up" ? 0 : "0s"),
    schema: () => TEXT,
  },
  reference: {
    up: toContractReference,
    down: fromContractReference,
    empty: () => ({}),
    schema: () => REFERENCE,
  },
  template: {
    up: toTemplate,
    down: fromTemplate,
    empty: ({ namespace }) => (namespace === undefined ? {} : { namespace }),
    schema: () => REFERENCE,
  },
  node: { up: toNode, down: fromNode, schema: () => REFERENCE },
  failureDomains: {
    up: toFailureDomains,
    down: fromFailureDomains,
    schema: ({ items }) => {
      const { name: _, ...properties } = items?.properties ?? {};
      return { type: "object", additionalProperties: { type: "object", properties } };
    },
  },
  phase: {
    up: (value) => value || undefined,
    down: (value) => (value === "Updating" ? "Running" : value || undefined),
    schema: (present) => present,
  },
  group: {
    up: (value) => value || undefined,
    down: (value) => value || null,
    empty: ({ to }) => (to === "up" ? undefined : null),
    schema: (present) => present,
  },
};
