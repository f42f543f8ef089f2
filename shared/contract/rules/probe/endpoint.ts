import { fail, type Judgement, na, pass, unknown } from "../rule.ts";
import { clusterIn, hasEndpoint } from "./life-views.ts";
import type { ProbeSubject } from "./subject.ts";

/** IC-22, CP-42: an object whose provider does not supply the endpoint waits for that of the Cluster. */
export function judgeWaiting({ title, life }: ProbeSubject): readonly Judgement[] {
  const { provisioned, readyWithoutEndpoint } = life;
  const object = provisioned.get(title);
  if (object === undefined) return [unknown("the life ended before")];
  if (hasEndpoint(object)) return [na("the object supplies the endpoint")];
  if (readyWithoutEndpoint.has(title)) {
    const found = "provisioned or initialized while the Cluster had no endpoint";
    return [
      fail({ path: "status", found, expected: "it waits for spec.controlPlaneEndpoint of the Cluster" }),
    ];
  }
  return hasEndpoint(clusterIn(provisioned)) ? [pass()] : [unknown("the Cluster never had an endpoint")];
}
