import { CLASS_RULES } from "./class-rules.ts";
import { COMPONENTS_RULES } from "./components-rules.ts";
import { DEFINITION_RULES } from "./definition-rules.ts";
import { FOLDER_RULES } from "./folder-rules.ts";
import { METADATA_RULES } from "./metadata-rules.ts";
import { REFERENCE_RULES } from "./reference-rules.ts";
import type { ReleaseRule } from "./release-rule.ts";
import { TEMPLATE_RULES } from "./template-rules.ts";
import { VARIABLE_RULES } from "./variable-rules.ts";
import { WORKLOAD_RULES } from "./workload-rules.ts";

/** All rules on releases, by id. */
export const RELEASE_RULES: readonly ReleaseRule[] = [
  ...FOLDER_RULES,
  ...METADATA_RULES,
  ...COMPONENTS_RULES,
  ...WORKLOAD_RULES,
  ...VARIABLE_RULES,
  ...DEFINITION_RULES,
  ...TEMPLATE_RULES,
  ...CLASS_RULES,
  ...REFERENCE_RULES,
].toSorted((a, b) => Number(a.id > b.id) - Number(a.id < b.id));
