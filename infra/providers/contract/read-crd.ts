import type { Crd, CrdVersion, SchemaNode } from "../../../shared/contract/rules/crd/subject.ts";
import type { Place } from "../../../shared/contract/rules/rule.ts";
import { WAIVE_ANNOTATION } from "../../../shared/contract/waive-annotation.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import { isObject } from "../../platform/kube/kind-shapes.ts";
import type { InputProblem } from "./finding.ts";

/** One object of an input. */
export interface InputDocument {
  readonly value: { readonly [member: string]: unknown };
  readonly file: string;
  /** First line of the object, from 1; that of the list for an object in a list. */
  readonly line: number;
  /** The line of a path in the object, from 1. */
  readonly lineAt?: (path: string) => number;
}

/** A CRD and where it stands. */
export interface PlacedCrd {
  readonly crd: Crd;
  readonly place: Place;
}

/** Causes that one problem names. */
const MAX_CAUSES = 3;
const MAX_NAME_LENGTH = 253;
/** A cause quotes the value, which may be of any length. */
const MAX_CAUSE_LENGTH = 400;

const GROUP = "apiextensions.k8s.io";

/** Whether a document is a CustomResourceDefinition of any version. */
export function isDefinition({ value: { apiVersion, kind } }: InputDocument): boolean {
  return (
    kind === "CustomResourceDefinition" &&
    typeof apiVersion === "string" &&
    apiVersion.startsWith(`${GROUP}/`)
  );
}

/**
 * Whether it is a patch of kustomize for a CRD: metadata and parts of the spec, without versions. Its labels and
 * annotations count for the CRD of that name.
 */
export function isPatch({ value: { spec } }: InputDocument): boolean {
  return !isObject(spec) || (spec["versions"] === undefined && spec["names"] === undefined);
}

/** Returns why no API server would store a definition, one cause each; empty: it would. */
export type WhyRefused = (
  definition: InputDocument["value"],
) => readonly { readonly field?: string; readonly message: string }[];

/** Reads a CRD, or says why no API server would store it. */
export function readCrd(document: InputDocument, whyRefused: WhyRefused): PlacedCrd | InputProblem {
  const { value, file, line, lineAt } = document;
  const metadata = recordAt(value, "metadata");
  const { name, apiVersion } = { name: metadata["name"], apiVersion: value["apiVersion"] };
  const refuse = (message: string): InputProblem => ({ file, line, message });
  if (typeof name !== "string" || name === "")
    return refuse("CustomResourceDefinition without metadata.name; name it");
  if (apiVersion !== `${GROUP}/v1`) {
    return refuse(
      `${name} has ${String(apiVersion)}, which no API server has served since 1.22; convert it to ${GROUP}/v1`,
    );
  }
  const group = recordAt(value, "spec")["group"];
  if (typeof group !== "string" || group === "") return refuse(`${name}: spec.group is missing; set it`);
  const causes = whyRefused({ ...value, metadata: { ...metadata, name } });
  if (causes.length > 0) {
    const named = causes
      .slice(0, MAX_CAUSES)
      .map(({ field, message }) => truncate(`${field}: ${message}`, MAX_CAUSE_LENGTH));
    const more = causes.length > MAX_CAUSES ? [`${causes.length - MAX_CAUSES} more`] : [];
    return refuse(
      `the API server would refuse ${truncate(name, MAX_NAME_LENGTH)}: ${[...named, ...more].join("; ")}`,
    );
  }
  const crd = toCrd(value, name, group);
  return { crd, place: { ...placeOf(crd), file, line, lineAt } };
}

/** Reads a CRD that a server stores. */
export function storedCrd(value: InputDocument["value"]): PlacedCrd {
  const name = String(recordAt(value, "metadata")["name"]);
  const crd = toCrd(value, name, String(recordAt(value, "spec")["group"]));
  return { crd, place: placeOf(crd) };
}

function placeOf({ metadata: { name, annotations } }: Crd): Place {
  return { object: `CustomResourceDefinition ${name}`, waive: annotations[WAIVE_ANNOTATION] };
}

function toCrd(value: InputDocument["value"], name: string, group: string): Crd {
  const metadata = recordAt(value, "metadata");
  const spec = recordAt(value, "spec");
  const names = recordAt(spec, "names");
  const listKind = names["listKind"];
  return {
    metadata: { name, labels: textsAt(metadata, "labels"), annotations: textsAt(metadata, "annotations") },
    group,
    scope: String(spec["scope"]),
    names: {
      kind: String(names["kind"]),
      plural: String(names["plural"]),
      listKind: typeof listKind === "string" && listKind !== "" ? listKind : undefined,
    },
    versions: listAt(spec, "versions").filter(isObject).map(toVersion),
  };
}

function toVersion(version: SchemaNode): CrdVersion {
  const schema = recordAt(version, "schema")["openAPIV3Schema"];
  const subresources = recordAt(version, "subresources");
  const { scale } = subresources;
  return {
    name: String(version["name"]),
    served: version["served"] === true,
    storage: version["storage"] === true,
    schema: isObject(schema) ? schema : undefined,
    subresources: {
      status: isObject(subresources["status"]),
      scale: isObject(scale) ? textsOf(scale) : undefined,
    },
  };
}

function recordAt(value: SchemaNode, member: string): SchemaNode {
  const found = Object.hasOwn(value, member) ? value[member] : undefined;
  return isObject(found) ? found : {};
}

function listAt(value: SchemaNode, member: string): readonly unknown[] {
  const found = Object.hasOwn(value, member) ? value[member] : undefined;
  return Array.isArray(found) ? found : [];
}

/** The members of a map that are texts. */
export function textsAt(value: SchemaNode, member: string): { readonly [key: string]: string } {
  return textsOf(recordAt(value, member));
}

function textsOf(map: SchemaNode): { readonly [key: string]: string } {
  return Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
