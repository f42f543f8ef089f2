/*
 * Everything that the rest of the repository may import from this folder (`test/invariants/imports.test.ts`); its scope
 * is in the README. The simulation and tests of functions use more than the product: objects, storage, exchanges.
 */

export { openPort, type TlsIdentity } from "./http/port.ts";
export { refusedDefinition } from "./kinds/crd.ts";
export type { Json, JsonObject } from "./objects/json.ts";
export type { KubeObject } from "./objects/kube-object.ts";
export { applyJsonPatch } from "./patch/json-patch.ts";
export type { Answered, Exchange, Serve, Stream } from "./request/request.ts";
export { type ApiServer, type ApiServerOptions, type Listen, startApiServer } from "./server.ts";
export { type ChangeListener, Storage } from "./storage/storage.ts";
