import type { Kind } from "../../shared/api/kinds.ts";
import { KINDS } from "../../shared/api/registry.ts";
import { CORE_PROVIDER } from "../../shared/function/providers.ts";
import type { Beside, Manifest } from "./deployment.ts";
import { OF_CORE } from "./manifests/webhook.ts";
import { inStandardGroup, type PlaceOf } from "./rights.ts";

/** A provider as clusterctl knows it: one folder of the release. */
export interface Provider {
  /** Folder, and value of the label `cluster.x-k8s.io/provider`. */
  readonly label: string;
  /** Name on the command line of clusterctl. */
  readonly name: string;
  readonly type: "CoreProvider" | "BootstrapProvider" | "ControlPlaneProvider" | "InfrastructureProvider";
  /** File name of its components. */
  readonly components: string;
  /** Namespace unless the user names another; cluster-scoped names start with it. */
  readonly namespace: string;
  /** Name of what it has in that namespace: four providers may share one. */
  readonly app: string;
  /** Prefix of its variables. */
  readonly variables: "CAPSTAN" | "SIM";
  /** Kinds that it installs. */
  readonly kinds: readonly Kind[];
  /** Those of them that core works on. */
  readonly forCore: readonly Kind[];
  /** Where its functions find the objects of a contract. */
  readonly placeOf: PlaceOf;
  readonly beside?: Beside;
  /** Templates of clusters by their file name. */
  readonly templates?: ReadonlyMap<string, readonly Manifest[]>;
}

export const CORE: Provider = {
  label: CORE_PROVIDER,
  name: "cluster-api",
  type: "CoreProvider",
  components: "core-components.yaml",
  namespace: "capstan-system",
  app: "capstan-core",
  variables: "CAPSTAN",
  kinds: KINDS.filter(({ crd, schema }) => crd && schema),
  forCore: [],
  placeOf: inStandardGroup,
  beside: OF_CORE,
};
