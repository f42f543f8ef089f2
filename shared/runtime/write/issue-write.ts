import { Secret } from "../../api/core.ts";
import { apiVersionOf, type KubeObject, MANAGEMENT, type ObjectRef } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { ISSUED_SECRET_TYPE, type Issue } from "../../function/issue.ts";
import { labelsPatch } from "../../rules/metadata/labels.ts";
import type { Clock, Issuer, KubeClient } from "../ports.ts";

type Data = NonNullable<Secret["data"]>;

/** One request of `Decision.issue`. The data that it sends is in no record of the run. */
export interface IssueWrite {
  readonly ref: ObjectRef;
  readonly verb: "create" | "patch";
  readonly request: (client: KubeClient) => Promise<KubeObject>;
  readonly recordedAs: object;
}

/** Makes the keys when its turn has come, and creates the Secret or replaces its data keys and sets its labels. */
export function issueWrite(issue: Issue, issuer: Issuer, clock: Pick<Clock, "now">): IssueWrite {
  const { secret, renew } = issue;
  const read = renew && { uid: renew.uid, resourceVersion: renew.resourceVersion };
  const ref: ObjectRef = { cluster: MANAGEMENT, kind: Secret, ...secret, ...read };
  return {
    ref,
    verb: renew === undefined ? "create" : "patch",
    recordedAs: { issue },
    async request(client) {
      const readSecret = (key: typeof secret) => client.get(Secret, key);
      const data = await issuer.issue(issue.what, { now: clock.now(), read: readSecret });
      return renew === undefined
        ? client.create(Secret, newSecret(issue, data))
        : client.jsonPatch(Secret, secret, renewal({ ...renew, wanted: issue.labels }, data));
    },
  };
}

function newSecret({ secret, labels, owner }: Issue, data: Data): Secret {
  const metadata = { ...secret, labels, ownerReferences: [owner] };
  return { apiVersion: apiVersionOf(Secret), kind: Secret.kind, metadata, type: ISSUED_SECRET_TYPE, data };
}

function renewal(
  {
    uid,
    resourceVersion,
    labels,
    wanted,
  }: NonNullable<Issue["renew"]> & { readonly wanted: Issue["labels"] },
  data: Data,
): readonly PatchOperation[] {
  return [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    ...labelsPatch(labels, wanted),
    ...Object.entries(data).map(([key, value]): PatchOperation => {
      return { op: "add", path: `/data/${key}`, value };
    }),
  ];
}
