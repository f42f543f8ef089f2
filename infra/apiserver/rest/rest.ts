import { evict } from "../controllers/eviction.ts";
import type { Answer, ApiRequest, Verb } from "../http/request.ts";
import { patch } from "../patch/patch.ts";
import { loadRules } from "../schema/rules.ts";
import { create } from "./create.ts";
import { deleteCollection, deleteObject } from "./delete.ts";
import { get, list } from "./list.ts";
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

/** Carries out a request on a resource. Throws StatusError for everything that is refused. */
export async function answerRequest(request: ApiRequest, verb: Handled): Promise<Answer> {
  const { deprecation } = request.target.served;
  if (deprecation !== undefined) request.warnings.push(deprecation);
  if (verb !== "get" && verb !== "list") await loadRules(request);
  const { subresource } = request.target;
  if (subresource === "scale") return scale(request);
  if (subresource === "eviction") return evict(request);
  return VERBS[verb](request);
}
