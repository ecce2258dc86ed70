// Takes a single-use token out of the address bar, so that it is not left in the history or seen over a shoulder.
import { useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router";

const tokenIn = (hash: string, name: string): string | null => new URLSearchParams(hash.replace(/^#/, "")).get(name);

/**
 * The value of `#name=…` when the page was opened, else null. Links carry tokens in the fragment, because a fragment is
 * never sent to a server. The page forgets it when it is left.
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
