// Who may see which page: protected pages need a signed-in user, entrances send a signed-in user on (SHELL-01 to SHELL-03).
import { Navigate, Outlet, useLocation } from "react-router";
import { useSession } from "#shared/session/session-store.ts";
import { PageLoading } from "#shared/ui/loading.tsx";
import { paths } from "./paths.ts";
import { returnPlace } from "./return-place.ts";

const AUTHENTICATING = "Authenticating...";

export function Protected() {
  const session = useSession();
  const location = useLocation();
  if (session.status === "loading") return <PageLoading text={AUTHENTICATING} />;
  if (session.status === "signed-in") return <Outlet />;
  // Whoever leaves by the button is not sent back to where they were (SHELL-27).
  if (session.by === "person") return <Navigate to={paths.login} replace />;
  return <Navigate to={paths.signIn} replace state={{ from: location }} />;
}

/** Sign-in and sign-up: whoever is signed in goes to the remembered place, else to `/` (AUTH-14, OPEN-04 to OPEN-07). */
export function Entrance() {
  const session = useSession();
  const location = useLocation();
  if (session.status === "loading") return <PageLoading text={AUTHENTICATING} />;
  if (session.status === "signed-in") return <Navigate to={returnPlace(location.state)} replace />;
  return <Outlet />;
}
