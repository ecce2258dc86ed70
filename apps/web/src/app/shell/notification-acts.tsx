// What can be done about notifications where they stand: decide on an access request. Fetched when there is one.
import { lazy, Suspense } from "react";
import type { ActsOf } from "#shared/notifications/notification-acts.ts";

const RequestDecision = lazy(() => import("#features/access-requests/request-decision.tsx"));

export const notificationActs: ActsOf = ({ actionRequired, metadata: { request_id: requestId } }) =>
  actionRequired && typeof requestId === "string" ? (
    <Suspense fallback={null}>
      <RequestDecision id={requestId} />
    </Suspense>
  ) : null;
