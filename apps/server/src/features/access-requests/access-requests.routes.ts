// Routes of the access requests API.
import {
  accessRequestStatistics,
  approveAccessRequest,
  breakGlass,
  createAccessRequest,
  denyAccessRequest,
  extendAccessRequest,
  findRequestable,
  listAccessRequests,
  mapAccessRequest,
  readAccessRequest,
  reviewBreakGlass,
  revokeAccessRequest,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { AccessRequestContext } from "./access-requests.ts";
import { createRequest, grantEmergencyAccess } from "./requests/create-request.ts";
import { approve, deny } from "./decisions/decide.ts";
import { revoke } from "./grants/end-requests.ts";
import { extend } from "./decisions/extend-grant.ts";
import { findRequests, readOne, requestable, statistics, mapToAccount } from "./requests/find-requests.ts";
import { review } from "./decisions/review-break-glass.ts";

export function bindAccessRequests(context: AccessRequestContext): void {
  const { kernel } = context;
  implement(kernel, listAccessRequests, findRequests);
  implement(kernel, accessRequestStatistics, statistics);
  implement(kernel, findRequestable, (call, db) => requestable(context, call, db));
  implement(kernel, readAccessRequest, readOne);
  implement(kernel, createAccessRequest, (call, tx) => createRequest(context, call, tx));
  implement(kernel, breakGlass, (call, tx) => grantEmergencyAccess(context, call, tx));
  implement(kernel, approveAccessRequest, (call, tx) => approve(context, call, tx));
  implement(kernel, denyAccessRequest, (call, tx) => deny(context, call, tx));
  implement(kernel, revokeAccessRequest, (call, tx) => revoke(context, call, tx));
  implement(kernel, extendAccessRequest, (call, tx) => extend(context, call, tx));
  implement(kernel, mapAccessRequest, (call, tx) => mapToAccount(context, call, tx));
  implement(kernel, reviewBreakGlass, (call, tx) => review(context, call, tx));
}
