// Actions inside notifications: decide on an access request, activate an account. Loaded with the first such
// notification.
import { lazy, Suspense } from "react";
import type { ActsOf } from "#shared/notifications/notification-acts.ts";

const RequestDecision = lazy(() => import("#features/access-requests/decision/request-decision.tsx"));

const ActivationAct = lazy(() => import("#features/users/people/activation-act.tsx"));

export const notificationActs: ActsOf = ({ type, actionRequired, metadata }) => {
  const { request_id: requestId, user_id: userId } = metadata;
  if (!actionRequired) return null;
  if (typeof requestId === "string") {
    return (
      <Suspense fallback={null}>
        <RequestDecision id={requestId} />
      </Suspense>
    );
  }
  if (type !== "user_activation" || typeof userId !== "string") return null;
  return (
    <Suspense fallback={null}>
      <ActivationAct userId={userId} />
    </Suspense>
  );
};
