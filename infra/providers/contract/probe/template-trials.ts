import { apiVersionOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import { sameJson, valueAt } from "../../../../shared/api/path.ts";
import { type TemplateTrial, titleOf } from "../../../../shared/contract/rules/probe/subject.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { Server } from "../../../platform/kube/client.ts";
import { isObject, type Members } from "../../../platform/kube/kind-shapes.ts";
import type { Mutation } from "./manifest.ts";
import { kindIn, type Scratch } from "./scratch.ts";

const DRY_RUN_ANNOTATION = "topology.cluster.x-k8s.io/dry-run";
const TEMPLATE_SPEC = "spec.template.spec";
/** The name of a copy that is never stored. */
const COPY = "contract-probe-copy";
/** The most trials of one template; each costs a request. */
const MAX_TRIED = 10;
/** Names in the path of a value. */
const MAX_DEPTH = 16;

/** A value of a template that a user may choose otherwise. */
interface Change {
  /** `spec.template.spec.size` */
  readonly path: string;
  /** The changed value alone, as the content of the object. */
  readonly content: object;
}

/** Changes each template as the topology does, and as it must not. Those without a field to change are left out. */
export async function runTemplateTrials(
  scratch: Scratch,
  templates: readonly KubeObject[],
  mutation: Mutation | undefined,
): Promise<ReadonlyMap<string, TemplateTrial>> {
  const results = new Map<string, TemplateTrial>();
  for (const template of templates) {
    const kind = kindIn(scratch.kinds, template);
    const trial = kind && (await tried({ scratch, kind, template }, mutation));
    if (trial !== undefined) results.set(titleOf(template), trial);
  }
  return results;
}

interface Subject {
  readonly scratch: Scratch;
  readonly kind: Kind;
  readonly template: KubeObject;
}

async function tried(subject: Subject, mutation: Mutation | undefined): Promise<TemplateTrial | undefined> {
  const { server } = subject.scratch;
  const change = await validChange(subject, mutation);
  if (change === undefined) return undefined;
  const annotations = { [DRY_RUN_ANNOTATION]: "" };
  const dry = dryClient(server);
  const dryRun = await applied(subject, { client: dry, content: change.content, annotations });
  const withoutAnnotation = await applied(subject, { client: dry, content: change.content });
  const isImmutable = dryRun === undefined && withoutAnnotation !== undefined;
  const client = server.as("contract-topology");
  const forGood = isImmutable ? await applied(subject, { client, content: change.content, annotations }) : "";
  return { path: change.path, dryRun, withoutAnnotation, isOpen: forGood === undefined };
}

function dryClient(server: Server) {
  return server.as("contract-topology", { dryRun: true });
}

interface Apply {
  readonly client: ReturnType<Server["as"]>;
  readonly content: object;
  readonly annotations?: { readonly [key: string]: string };
}

/** Returns the refusal; undefined: it was accepted. Throws where the server does not answer: that refuses nothing. */
async function applied(
  { scratch: { namespace }, kind, template }: Subject,
  { client, content, annotations }: Apply,
): Promise<string | undefined> {
  const { name, uid } = template.metadata;
  const metadata = { name, namespace, uid, ...(annotations === undefined ? {} : { annotations }) };
  const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...content };
  return refusalOf(() => client.apply(kind, { namespace, name }, body));
}

async function refusalOf(send: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await send();
    return undefined;
  } catch (error) {
    if (error instanceof KubeError && error.class === "Terminal") return error.message;
    throw error;
  }
}

/** The first change that a new template of the kind could have: whatever refuses it afterwards is immutability. */
async function validChange(subject: Subject, mutation: Mutation | undefined): Promise<Change | undefined> {
  const { scratch, kind, template } = subject;
  const { namespace } = scratch;
  const spec = valueAt(template, TEMPLATE_SPEC);
  const named = mutation === undefined ? [] : [changeOf(mutation)];
  const others = isObject(spec) ? [...changedLeaves(spec, TEMPLATE_SPEC)] : [];
  for (const change of [...named, ...others].slice(0, MAX_TRIED)) {
    const content = merged({ spec: valueAt(template, "spec") }, change.content);
    const copy = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name: COPY, namespace },
      ...content,
    };
    let created: unknown;
    const refusal = await refusalOf(async () => {
      created = await dryClient(scratch.server).create(kind, copy);
    });
    // A field that the schema does not have is dropped from the answer.
    const isKept = sameJson(valueAt(created, change.path), valueAt(change.content, change.path));
    if (
      refusal === undefined &&
      isKept &&
      !sameJson(valueAt(template, change.path), valueAt(created, change.path))
    )
      return change;
  }
  return undefined;
}

/** `spec.size` of an object is `spec.template.spec.size` of its template. */
function changeOf({ path, value }: Mutation): Change {
  const below = path.replace(/^spec\./, "");
  return changeAt(`${TEMPLATE_SPEC}.${below}`, value);
}

function changeAt(path: string, value: unknown): Change {
  const content = path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return { path, content: content as object };
}

/** Numbers and switches first: a text may have to be one of some. */
function changedLeaves(spec: Members, path: string): readonly Change[] {
  const leaves = leavesOf(spec, path);
  return [
    ...leaves.filter(({ value }) => typeof value !== "string"),
    ...leaves.filter(({ value }) => typeof value === "string"),
  ].map(({ path: at, value }) => changeAt(at, otherValue(value)));
}

interface Leaf {
  readonly path: string;
  readonly value: number | boolean | string;
}

/** Fields of maps with dots in their keys are left out. */
function leavesOf(spec: Members, path: string): readonly Leaf[] {
  if (path.split(".").length > MAX_DEPTH) return [];
  return Object.entries(spec).flatMap(([name, value]): readonly Leaf[] => {
    if (!/^\w+$/.test(name)) return [];
    const at = `${path}.${name}`;
    if (typeof value === "number" || typeof value === "boolean" || typeof value === "string")
      return [{ path: at, value }];
    return isObject(value) ? leavesOf(value, at) : [];
  });
}

function otherValue(value: Leaf["value"]): Leaf["value"] {
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : `${value}x`;
}

function merged(base: unknown, change: unknown): object {
  if (!isObject(base) || !isObject(change)) return change as object;
  const members = Object.entries(change).map(([name, value]) => [name, merged(base[name], value)]);
  return { ...base, ...Object.fromEntries(members) };
}
