import type { KubeObject } from "../kinds.ts";
import { CONVERSIONS } from "./conversions.ts";
import { dropEmpty, moveFields } from "./moved-fields.ts";

const GROUP = "cluster.x-k8s.io";
/**
 * Annotation in which Cluster API keeps the v1beta2 fields of an object of v1beta1; invalid once the object
 * was edited.
 */
const CONVERSION_DATA = `${GROUP}/conversion-data`;

/**
 * Converts a Cluster, MachinePool, MachineSet or Machine of Cluster API's v1beta1 to v1beta2; returns every other object as it is.
 * Throws Error with the object, the field in v1beta1 and the next step when a value has no counterpart.
 * Source: MP-15, CL-11, MA-9, MS-9
 */
export function toV1beta2(object: KubeObject): KubeObject {
  const conversion = CONVERSIONS.get(object.kind);
  if (object.apiVersion !== `${GROUP}/v1beta1` || conversion === undefined) return object;
  const { namespace = "default", name } = object.metadata;
  try {
    const moved = moveFields(object, conversion.moved, namespace);
    return { ...withoutConversionData(dropEmpty(moved, conversion.empty)), apiVersion: `${GROUP}/v1beta2` };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`${object.kind} ${namespace}/${name} of ${object.apiVersion}: ${problem}`, {
      cause: error,
    });
  }
}

function withoutConversionData(object: KubeObject): KubeObject {
  const { [CONVERSION_DATA]: data, ...annotations } = object.metadata.annotations ?? {};
  return data === undefined ? object : { ...object, metadata: { ...object.metadata, annotations } };
}
