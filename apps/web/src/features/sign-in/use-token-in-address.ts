// Removes a single-use token from the address bar, so that it does not stay in the history or on screen.
import { useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router";

const tokenIn = (hash: string, name: string): string | null => new URLSearchParams(hash.replace(/^#/, "")).get(name);

/**
 * The value of `#name=…` when the page opened, else null. Links carry tokens in the fragment, because browsers never
 * send a fragment to a server. The token is dropped when the user leaves the page.
 */
export function useTokenInAddress(name: string): string | null {
  const { pathname, search, hash, state } = useLocation();
  const navigate = useNavigate();
  const [token] = useState(() => tokenIn(hash, name));
  const isVisible = tokenIn(hash, name) !== null;
  useEffect(() => {
    if (isVisible) void navigate({ pathname, search, hash: "" }, { replace: true, state });
  }, [isVisible, navigate, pathname, search, state]);
  return token;
}
