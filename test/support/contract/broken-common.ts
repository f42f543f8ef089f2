import { KINDS, PREFIXES, type Row } from "./broken-row.ts";
import { type RawCrd, withRoot } from "./crds.ts";

type Common = readonly [
  verdict: "fail" | "warn",
  number: string,
  title: string,
  change: (crd: RawCrd) => void,
];

/** Rules 01 to 12 that a CRD decides alone. */
const COMMON: readonly Common[] = [
  [
    "fail",
    "01",
    "the scope is Cluster",
    (crd) => {
      crd.spec.scope = "Cluster";
    },
  ],
  ["fail", "02", "kind is an integer", (crd) => withRoot(crd, "v1beta2", "kind", { type: "integer" })],
  ["fail", "02", "metadata is a text", (crd) => withRoot(crd, "v1beta2", "metadata", { type: "string" })],
  [
    "fail",
    "04",
    "the labels are empty",
    (crd) => {
      for (const label of Object.keys(crd.metadata.labels))
        if (/\/v\d/.test(label)) crd.metadata.labels[label] = "";
    },
  ],
  [
    "fail",
    "05",
    "a former contract lists a version that is gone",
    (crd) => {
      crd.metadata.labels["cluster.x-k8s.io/v1alpha4"] = "v1alpha4";
    },
  ],
  ["fail", "06", "the picked version is not served", (crd) => unserve(crd, "v1beta2")],
  ["warn", "07", "the version of an older contract is not served", (crd) => unserve(crd, "v1beta1")],
  [
    "warn",
    "08",
    "a version is in two labels",
    (crd) => {
      crd.metadata.labels["cluster.x-k8s.io/v1beta2"] = "v1beta1_v1beta2";
    },
  ],
  [
    "fail",
    "09",
    "the name has another plural",
    (crd) => {
      crd.spec.names.plural += "es";
      crd.metadata.name = `${crd.spec.names.plural}.${crd.spec.group}`;
    },
  ],
  [
    "fail",
    "09",
    "the name and the plural differ",
    (crd) => {
      crd.spec.names.plural = "others";
    },
  ],
  [
    "fail",
    "10",
    "the list has another kind",
    (crd) => {
      crd.spec.names.listKind = "FooThings";
    },
  ],
  [
    "fail",
    "12",
    "the status subresource is absent",
    (crd) => {
      for (const { subresources } of crd.spec.versions) delete subresources.status;
    },
  ],
];

function unserve(crd: RawCrd, name: string): void {
  for (const version of crd.spec.versions) if (version.name === name) version.served = false;
}

const OF_POOLS = new Set(["02", "05", "07", "08", "09"]);
const UNCONTRACTED = new Set(["05", "07", "08", "09"]);

export const COMMON_ROWS: readonly Row[] = [
  ...KINDS.flatMap((kind) => COMMON.map((common) => rowOf(common, kind))),
  ...COMMON.filter(([, number]) => OF_POOLS.has(number)).map((common) => lenient(rowOf(common, "IPAMPool"))),
  ...COMMON.filter(([, number]) => UNCONTRACTED.has(number)).map((common) => ({
    ...lenient(rowOf(common, "IPAMPool")),
    rule: `CRD-${common[1]}`,
    change: uncontracted(common[3]),
  })),
];

function rowOf([verdict, number, title, change]: Common, kind: string): Row {
  return { verdict, rule: `${PREFIXES[kind]}-${number}`, kind, title: `${kind}: ${title}`, change };
}

/** A stale label harms only kinds that core reads. */
function lenient(row: Row): Row {
  return row.rule.endsWith("-05") ? { ...row, verdict: "warn" } : row;
}

/** The same on a kind of no contract. */
function uncontracted(change: Row["change"]): Row["change"] {
  return (crd) => {
    const kind = "FooIdentity";
    crd.spec.names = { kind, plural: "fooidentities", singular: "fooidentity", listKind: `${kind}List` };
    crd.metadata.name = `fooidentities.${crd.spec.group}`;
    change(crd);
  };
}
