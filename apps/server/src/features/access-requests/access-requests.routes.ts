// Binds the calls of just-in-time access to their use cases.
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
import type { Site } from "./access-requests.ts";
import { createRequest, openInEmergency } from "./create-request.ts";
import { approve, deny } from "./decide.ts";
import { revoke } from "./end-requests.ts";
import { extend } from "./extend-grant.ts";
import { findRequests, readOne, requestable, statistics } from "./find-requests.ts";
import { mapToAccount } from "./map-request.ts";
import { review } from "./review-break-glass.ts";

export function bindAccessRequests(site: Site): void {
  const { kernel } = site;
  implement(kernel, listAccessRequests, findRequests);
  implement(kernel, accessRequestStatistics, statistics);
  implement(kernel, findRequestable, (call, db) => requestable(site, call, db));
  implement(kernel, readAccessRequest, readOne);
  implement(kernel, createAccessRequest, (call, tx) => createRequest(site, call, tx));
  implement(kernel, breakGlass, (call, tx) => openInEmergency(site, call, tx));
  implement(kernel, approveAccessRequest, (call, tx) => approve(site, call, tx));
  implement(kernel, denyAccessRequest, (call, tx) => deny(site, call, tx));
  implement(kernel, revokeAccessRequest, (call, tx) => revoke(site, call, tx));
  implement(kernel, extendAccessRequest, (call, tx) => extend(site, call, tx));
  implement(kernel, mapAccessRequest, (call, tx) => mapToAccount(site, call, tx));
  implement(kernel, reviewBreakGlass, (call, tx) => review(site, call, tx));
}
