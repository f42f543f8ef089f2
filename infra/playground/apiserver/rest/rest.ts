import { conflict } from "../errors/status-error.ts";
import type { Answer, ApiRequest, Verb } from "../request/request.ts";
import { loadRules } from "../schema/rules.ts";
import { Overtaken } from "./commit.ts";
import { create } from "./create.ts";
import { deleteCollection, deleteObject } from "./delete.ts";
import { evict } from "./eviction.ts";
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
