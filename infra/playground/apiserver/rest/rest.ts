import { badRequest, conflict, notFound } from "../errors/status-error.ts";
import { type KubeObject, objectAt, textAt } from "../objects/kube-object.ts";
import { decodeObject } from "../request/body.ts";
import { type Answer, type ApiRequest, type Verb, writeOptions } from "../request/request.ts";
import { loadRules } from "../schema/rules.ts";
import { checkPlace, findStored, Overtaken } from "./commit.ts";
import { create } from "./create.ts";
import {
  checkPreconditions,
  deleteCollection,
  deleteObject,
  parseDeleteOptions,
  startDeletion,
} from "./delete.ts";
import { takeFromBudget } from "./disruption-budgets.ts";
import { get, list } from "./list.ts";
import { patch } from "./patch.ts";
import { scale } from "./scale.ts";
import { update } from "./update.ts";

type Handled = Exclude<Verb, "watch">;

const VERBS: Readonly<Record<Handled, (request: ApiRequest) => Answer | Promise<Answer>>> = {
  get,
  list,
  create,
  update,
  patch,
  delete: deleteObject,
  deletecollection: deleteCollection,
};

const SUBRESOURCES: Readonly<Record<string, (request: ApiRequest) => Promise<Answer>>> = {
  scale,
  eviction: evict,
};

/** The times that a request that was overtaken is carried out again before its client is asked to. */
const TRIES = 10;

/** Carries out a request on a resource. Throws StatusError for everything that is refused. */
export async function answerRequest(request: ApiRequest, verb: Handled): Promise<Answer> {
  const { warnings, target, body } = request;
  const { deprecation } = target.served;
  if (deprecation !== undefined) warnings.push(deprecation);
  if (verb !== "get" && verb !== "list") await loadRules(target.served.schema, body);
  const carryOut = SUBRESOURCES[target.subresource ?? ""] ?? VERBS[verb];
  const { length } = warnings;
  for (let tries = 1; tries <= TRIES; tries++) {
    try {
      return await carryOut(request);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      warnings.length = length;
    }
  }
  throw conflict(target.type.group, target.type.plural, target.name ?? "");
}

/**
 * Serves POST to `pods/<name>/eviction`: deletes the Pod unless a PodDisruptionBudget forbids it now. Throws
 * StatusError 429 when the budget is used up, 500 when two budgets select the Pod, 403 when its namespace is being
 * terminated: an eviction counts as new content. As on the real server, a budget refuses until its status is of its
 * present generation, and is not asked about Pods that do not run.
 * Source: Kubernetes v1.34, pkg/registry/core/pod/storage/eviction.go
 */
async function evict(request: ApiRequest): Promise<Answer> {
  const { server, target, now } = request;
  const { name = "", type } = target;
  checkPlace(request);
  const { value } = await decodeObject(request.contentType, request.body);
  const pod = findStored(server, target, name);
  if (!pod) throw notFound(type.group, type.plural, name);
  if (textAt(objectAt(value, "metadata"), "name") !== name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const given = parseDeleteOptions(objectAt(value, "deleteOptions"));
  const options = { ...given, dryRun: given.dryRun || writeOptions(request).dryRun };
  checkPreconditions(target, pod, options);
  if (runs(pod)) takeFromBudget(server, pod, { dryRun: options.dryRun, now });
  startDeletion(server, type, pod, { options, now });
  return {
    form: "document",
    code: 201,
    body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
  };
}

/** Pods that have ended, wait to start, or are being deleted are not a disruption. */
function runs(pod: KubeObject): boolean {
  const phase = textAt(objectAt(pod, "status"), "phase");
  const isOver = phase === "Succeeded" || phase === "Failed" || phase === "Pending";
  return !isOver && pod.metadata.deletionTimestamp === undefined;
}
