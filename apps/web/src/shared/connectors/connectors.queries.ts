// The connectors' descriptions, from which forms are generated.
import { listConnectors } from "@strongroom/contract";
import { queryOf } from "#shared/api/query.ts";

/** The set of connectors does not change while the server runs. */
export const connectorList = { ...queryOf(listConnectors), staleTime: Infinity };
