import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  required,
  unknownName,
  unlessSupported,
} from "../errors/cause.ts";
import type { Cause } from "../errors/status-error.ts";
import { isJsonObject, type JsonObject, sameJson } from "../objects/json.ts";
import { listAt, textAt } from "../objects/kube-object.ts";
import { isLabel, isSubdomain, labelValueCauses, qualifiedNameCauses } from "./metadata.ts";

/*
 * Returns the problems of a Pod that clients usually meet: names, images, ports, mounts, policies, tolerations, and
 * changes of what cannot change. Probes, affinities, security contexts and the contents of volumes are taken as they
 * are.
 * Source: Kubernetes v1.34, pkg/apis/core/validation/validation.go
 */

const MAX_INT32 = 2 ** 31 - 1;
const MAX_PORT = 65_535;
const POLICIES = {
  restartPolicy: ["Always", "OnFailure", "Never"],
  dnsPolicy: ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
} as const;

export function podCauses(spec: JsonObject): Cause[] {
  const volumes = objectsIn(spec, "volumes");
  const containers = objectsIn(spec, "containers");
  const names = new Set<string>();
  const check = (one: JsonObject, field: string) => containerCauses(one, field, { names, volumes });
  const { activeDeadlineSeconds: deadline } = spec;
  return [
    ...volumes.flatMap((volume, index) => volumeCauses(volumes, volume, index)),
    ...(containers.length === 0 ? [required("spec.containers")] : []),
    ...containers.flatMap((one, index) => check(one, `spec.containers[${index}]`)),
    ...objectsIn(spec, "initContainers").flatMap((one, index) => check(one, `spec.initContainers[${index}]`)),
    ...Object.entries(POLICIES).flatMap(([member, supported]) =>
      unlessSupported(`spec.${member}`, textAt(spec, member), supported),
    ),
    ...nameCauses(spec, "serviceAccountName", isSubdomain),
    ...nameCauses(spec, "nodeName", isSubdomain),
    ...nameCauses(spec, "hostname", isLabel),
    ...nameCauses(spec, "subdomain", isLabel),
    ...(deadline === undefined || isBetween(Number(deadline), 1, MAX_INT32)
      ? []
      : [
          invalidValue("spec.activeDeadlineSeconds", deadline, "must be between 1 and 2147483647, inclusive"),
        ]),
    ...objectsIn(spec, "tolerations").flatMap(tolerationCauses),
  ];
}

function objectsIn(of: JsonObject, member: string): JsonObject[] {
  return listAt(of, member).filter(isJsonObject);
}

function isBetween(value: number, low: number, high: number): boolean {
  return value >= low && value <= high;
}

function nameCauses(spec: JsonObject, member: string, isName: (text: string) => boolean): Cause[] {
  const name = textAt(spec, member);
  return name === "" || isName(name) ? [] : [invalidValue(`spec.${member}`, name, "must be a DNS name")];
}

function volumeCauses(volumes: readonly JsonObject[], volume: JsonObject, index: number): Cause[] {
  const field = `spec.volumes[${index}].name`;
  const name = textAt(volume, "name");
  if (name === "") return [required(field)];
  if (!isLabel(name)) return [invalidValue(field, name, "must be a DNS label")];
  const isTaken = volumes.slice(0, index).some((other) => textAt(other, "name") === name);
  return isTaken ? [duplicateValue(field, name)] : [];
}

interface Pod {
  /** The names of the containers before. */
  readonly names: Set<string>;
  readonly volumes: readonly JsonObject[];
}

function containerCauses(container: JsonObject, field: string, { names, volumes }: Pod): Cause[] {
  const name = textAt(container, "name");
  const isTaken = names.has(name);
  names.add(name);
  return [
    ...(name === "" ? [required(`${field}.name`)] : []),
    ...(name === "" || isLabel(name) ? [] : [invalidValue(`${field}.name`, name, "must be a DNS label")]),
    ...(isTaken ? [duplicateValue(`${field}.name`, name)] : []),
    ...imageCauses(textAt(container, "image"), `${field}.image`),
    ...unlessSupported(`${field}.terminationMessagePolicy`, textAt(container, "terminationMessagePolicy"), [
      "File",
      "FallbackToLogsOnError",
    ]),
    ...unlessSupported(`${field}.imagePullPolicy`, textAt(container, "imagePullPolicy"), [
      "Always",
      "IfNotPresent",
      "Never",
    ]),
    ...portCauses(objectsIn(container, "ports"), field),
    ...objectsIn(container, "env").flatMap((variable, index) =>
      textAt(variable, "name") === "" ? [required(`${field}.env[${index}].name`)] : [],
    ),
    ...mountCauses(objectsIn(container, "volumeMounts"), volumes, field),
  ];
}

function imageCauses(image: string, field: string): Cause[] {
  if (image === "") return [required(field)];
  if (image === image.trim()) return [];
  return [invalidValue(field, image, "must not have leading or trailing whitespace")];
}

function portCauses(ports: readonly JsonObject[], container: string): Cause[] {
  return ports.flatMap((port, index) => {
    const field = `${container}.ports[${index}]`;
    const { containerPort = 0, name = "" } = port;
    const isNamed = ports.slice(0, index).some((other) => name !== "" && other["name"] === name);
    return [
      ...(name === "" || isPortName(String(name))
        ? []
        : [invalidValue(`${field}.name`, name, "must be the name of a service")]),
      ...(isNamed ? [duplicateValue(`${field}.name`, name)] : []),
      ...(containerPort === 0 ? [required(`${field}.containerPort`)] : []),
      ...(containerPort === 0 || isBetween(Number(containerPort), 1, MAX_PORT)
        ? []
        : [invalidValue(`${field}.containerPort`, containerPort, "must be between 1 and 65535, inclusive")]),
      ...unlessSupported(`${field}.protocol`, textAt(port, "protocol"), ["SCTP", "TCP", "UDP"]),
    ];
  });
}

/** Whether it has up to 15 letters, digits and single hyphens, at least one letter. */
function isPortName(name: string): boolean {
  return name.length <= 15 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && /[a-z]/.test(name);
}

function mountCauses(
  mounts: readonly JsonObject[],
  volumes: readonly JsonObject[],
  container: string,
): Cause[] {
  return mounts.flatMap((mount, index) => {
    const field = `${container}.volumeMounts[${index}]`;
    const name = textAt(mount, "name");
    const path = textAt(mount, "mountPath");
    const isKnown = volumes.some((volume) => textAt(volume, "name") === name);
    const isTaken = mounts.slice(0, index).some((other) => textAt(other, "mountPath") === path);
    return [
      ...(name === "" ? [required(`${field}.name`)] : []),
      ...(isKnown ? [] : [unknownName(`${field}.name`, name)]),
      ...(path === "" ? [required(`${field}.mountPath`)] : []),
      ...(isTaken ? [invalidValue(`${field}.mountPath`, path, "must be unique")] : []),
    ];
  });
}

function tolerationCauses(toleration: JsonObject, index: number): Cause[] {
  const field = `spec.tolerations[${index}]`;
  const { key = "", operator = "Equal", effect = "", value = "", tolerationSeconds } = toleration;
  const invalid = (member: string, of: typeof key, problem: string) =>
    invalidValue(`${field}.${member}`, of, problem);
  return [
    ...(key === "" ? [] : qualifiedNameCauses(String(key), `${field}.key`)),
    ...(key === "" && operator !== "Exists"
      ? [invalid("operator", operator, "operator must be Exists when `key` is empty")]
      : []),
    ...(tolerationSeconds !== undefined && effect !== "NoExecute"
      ? [invalid("effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
    ...(operator === "Equal" ? labelValueCauses(String(value), `${field}.operator`) : []),
    ...(operator === "Exists" && value !== ""
      ? [invalid("operator", value, "value must be empty when `operator` is 'Exists'")]
      : []),
    ...unlessSupported(`${field}.operator`, String(operator), ["Equal", "Exists"]),
    ...unlessSupported(`${field}.effect`, String(effect), [
      "",
      "NoSchedule",
      "PreferNoSchedule",
      "NoExecute",
    ]),
  ];
}

/** Returns the forbidden changes of a Pod's spec. */
export function podUpdateCauses(spec: JsonObject, before: JsonObject): Cause[] {
  for (const member of ["containers", "initContainers"]) {
    if (listAt(spec, member).length !== listAt(before, member).length)
      return [forbiddenField(`spec.${member}`, "pod updates may not add or remove containers")];
  }
  const causes = deadlineCauses(spec, before);
  const kept = objectsIn(spec, "tolerations");
  const isKept = (old: JsonObject) =>
    kept.some((one) => sameJson({ ...one, tolerationSeconds: 0 }, { ...old, tolerationSeconds: 0 }));
  if (!objectsIn(before, "tolerations").every(isKept)) {
    const problem = "existing toleration can not be modified except its tolerationSeconds";
    causes.push(forbiddenField("spec.tolerations", problem));
  }
  if (!sameJson(fixedPart(spec), fixedPart(before))) {
    const problem =
      "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
    causes.push(forbiddenField("spec", problem));
  }
  return causes;
}

function deadlineCauses(spec: JsonObject, before: JsonObject): Cause[] {
  const field = "spec.activeDeadlineSeconds";
  const { activeDeadlineSeconds: old } = before;
  const { activeDeadlineSeconds: deadline } = spec;
  if (old === undefined || deadline === old) return [];
  if (deadline === undefined)
    return [invalidValue(field, null, "must not update from a positive integer to nil value")];
  return Number(deadline) > Number(old)
    ? [invalidValue(field, deadline, "must be less than or equal to previous value")]
    : [];
}

/** Images, deadline and tolerations may change. */
function fixedPart(spec: JsonObject): JsonObject {
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...fixed } = spec;
  const withoutImages = (member: string) =>
    objectsIn(spec, member).map(({ image: _, ...container }) => container);
  return {
    ...fixed,
    containers: withoutImages("containers"),
    initContainers: withoutImages("initContainers"),
  };
}
