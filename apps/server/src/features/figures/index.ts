// Figures: the counts on the dashboards, each with one definition and one query.
export { countFailing, readCompliance, readValidationCounts } from "./figures.store.ts";
export type { Compliance, ValidationCounts } from "./figures.store.ts";
export {
  isVisibleSecret,
  visibleSecrets,
  visibleParts,
  visibleRows,
  severity,
  withAccount,
} from "./visible-secrets.store.ts";
export type { GrantQueries, Sql, Viewer } from "./visible-secrets.store.ts";
