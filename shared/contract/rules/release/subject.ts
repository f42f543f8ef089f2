/** An object of a release. Foreign: any member may be missing or have any type. */
export interface Manifest {
  readonly [member: string]: unknown;
}

/** A document of a file. */
export interface ManifestDocument {
  readonly value: Manifest;
  /** The line of its first value, from 1. */
  readonly line: number;
}

/** A `${…}` of a file, by its first occurrence: only that decides whether a value is needed. */
export interface ReleaseVariable {
  readonly name: string;
  readonly line: number;
  /** `:=`, `#`, `^^`, …; empty for a bare variable. */
  readonly operator: string;
  /** Text of its arguments, whatever the operator; undefined: a value is needed. */
  readonly default: string | undefined;
  /** Some occurrence has a default in the proper sense: `:=`, `=`, `:-`, `:?` or `:+`. */
  readonly hasDefault: boolean;
  /** It had a value; otherwise its name was taken for one. */
  readonly isGiven: boolean;
}

/** Why a file has no objects. */
export interface FileProblem {
  /** `substitution`: a `${…}` does not parse. `yaml`: the text with values is not a stream of objects. */
  readonly at: "substitution" | "yaml";
  readonly message: string;
  readonly line: number | undefined;
}

/** A YAML file of a release after variable substitution. */
export interface ReleaseFile {
  /** The name without its folder. */
  readonly name: string;
  /** The file as reports name it. */
  readonly file: string;
  /** The text as it was written. */
  readonly text: string;
  /** The variables in alphabetical order; empty where the substitution does not parse. */
  readonly variables: readonly ReleaseVariable[];
  readonly problem: FileProblem | undefined;
  /** Empty documents are left out. */
  readonly documents: readonly ManifestDocument[];
}

/** A folder `<provider-label>/<version>/` that clusterctl reads as a local repository. */
export interface Release {
  /** The folder as reports name it. */
  readonly folder: string;
  /** Name of the folder above: `infrastructure-aws`. */
  readonly label: string;
  /** Name of the folder. */
  readonly version: string;
  /** The folders have other names, as those of downloads: label and version are what its files say. */
  readonly isFlat: boolean;
  /** Folders beside it, with itself: the released versions, and folders that clusterctl passes over. */
  readonly versions: readonly string[];
  readonly metadata: ReleaseFile | undefined;
  /** The one of the expected name, else the first whose name has `components`. */
  readonly components: ReleaseFile | undefined;
  /** `cluster-template.yaml`, `cluster-template-<flavor>.yaml`. */
  readonly templates: readonly ReleaseFile[];
  /** `clusterclass-<name>.yaml`. */
  readonly classes: readonly ReleaseFile[];
}
