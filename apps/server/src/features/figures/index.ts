// Figures: the counts on the dashboards, each with one definition and one query.
export { countFailing, readCompliance, readValidationCounts } from "./figures.store.ts";
export type { ValidationCounts } from "./figures.store.ts";
export { complianceRules, isCompliant, withRules } from "./compliance.store.ts";
export type { Compliance } from "./compliance.store.ts";
export {
  isRotationStopped,
  isVisibleSecret,
  visibleSecrets,
  visibleParts,
  visibleRows,
  severity,
  withAccount,
} from "./visible-secrets.store.ts";
export type { GrantQueries, Sql, Viewer } from "./visible-secrets.store.ts";
