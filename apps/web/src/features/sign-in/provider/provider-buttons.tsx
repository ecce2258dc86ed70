// The sign-in page's buttons for identity providers.
import { Button } from "@mantine/core";
import { IconLogin2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "react-router";
import { returnPlace } from "#shared/return-path.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { useSession } from "#shared/session/session-store.ts";
import { begin, signInMethods } from "./provider.queries.ts";
import { navigateAway } from "#shared/session/navigate-away.ts";

export interface ProviderButtonsProps {
  /** "Keep me signed in". */
  isRemembered: boolean;
  onFailure: (text: string) => void;
}

/** Whether a user name can be typed in place of an email, because a directory is configured. */
export const useHasDirectory = (): boolean => useQuery(signInMethods).data?.has_directory ?? false;

/** Renders nothing while the providers are loading or failed to load; the password still works. */
export function ProviderButtons({ isRemembered, onFailure }: ProviderButtonsProps) {
  const { data } = useQuery(signInMethods);
  const location = useLocation();
  const session = useSession();
  // After an explicit or automatic sign-out the provider must ask again, because it may still have a session.
  const hasLeft = session.status === "signed-out" && (session.by === "person" || session.by === "inactivity");
  const [leaving, setLeaving] = useState<string | null>(null);
  if (data === undefined || data.data.length === 0) return null;

  async function leave(id: string): Promise<void> {
    setLeaving(id);
    try {
      navigateAway(
        (await begin(id, { returnTo: returnPlace(location.state), isRemembered, authenticate: hasLeft })).url,
      );
    } catch (error) {
      setLeaving(null);
      onFailure(messageOf(error));
    }
  }

  return (
    <>
      {data.data.map(({ id, name }) => (
        <Button
          key={id}
          variant="default"
          size="md"
          fullWidth
          leftSection={<IconLogin2 size={18} aria-hidden />}
          loading={leaving === id}
          disabled={leaving !== null && leaving !== id}
          onClick={() => void leave(id)}
        >
          Sign in with {name}
        </Button>
      ))}
    </>
  );
}
