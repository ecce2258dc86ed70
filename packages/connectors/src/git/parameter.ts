// The parameter of the entries of repositories.
import type { ParameterField } from "@strongroom/contract";

export const REPOSITORIES_PARAMETER: ParameterField = {
  kind: "text",
  name: "repositories",
  label: "Repositories",
  help: "Paths or URLs on the host, separated by commas",
  placeholder: "team/app.git, team/site.git",
  max_length: 5_000,
};
