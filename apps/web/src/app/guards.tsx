// Route guards: protected pages need a signed-in user, and sign-in pages redirect a signed-in user (SHELL-01 to
// SHELL-03).
import { Navigate, Outlet, useLocation } from "react-router";
import { useSession } from "#shared/session/session-store.ts";
import { PageLoading } from "#shared/ui/loading.tsx";
import { paths } from "#shared/paths.ts";
import { returnPlace } from "#shared/return-path.ts";

const AUTHENTICATING = "Authenticating...";

export function Protected() {
  const session = useSession();
  const location = useLocation();
  if (session.status === "loading") return <PageLoading text={AUTHENTICATING} />;
  if (session.status === "signed-in") return <Outlet />;
  // After an explicit sign-out, the next sign-in does not return to the page that was left (SHELL-27).
  if (session.by === "person") return <Navigate to={paths.login} replace />;
  return <Navigate to={paths.signIn} replace state={{ from: location }} />;
}

/** Sign-in and sign-up redirect a signed-in user to the remembered page, else to `/` (AUTH-14, OPEN-04 to OPEN-07). */
export function SignedOutOnly() {
  const session = useSession();
  const location = useLocation();
  if (session.status === "loading") return <PageLoading text={AUTHENTICATING} />;
  if (session.status === "signed-in") return <Navigate to={returnPlace(location.state)} replace />;
  return <Outlet />;
}
