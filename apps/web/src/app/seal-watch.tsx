// Redirects to the unseal page when a call fails because the vault is sealed; the unseal page redirects back.
import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { configureCalls } from "#shared/api/call.ts";
import { paths } from "#shared/paths.ts";

export function SealWatch() {
  const navigate = useNavigate();
  const location = useLocation();
  const here = useRef(location);
  useEffect(() => {
    here.current = location;
  }, [location]);

  useEffect(() => {
    configureCalls({
      onSealed: () => {
        if (here.current.pathname === paths.unseal) return;
        void navigate(paths.unseal, { replace: true, state: { from: here.current } });
      },
    });
    return () => configureCalls({ onSealed: () => undefined });
  }, [navigate]);
  return null;
}
