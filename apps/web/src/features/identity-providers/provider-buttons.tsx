// The buttons of the sign-in page that lead to other systems which know who somebody is.
import { Button } from "@mantine/core";
import { IconLogin2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "react-router";
import { returnPlace } from "#app/return-place.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { useSession } from "#shared/session/session-store.ts";
import { begin, waysIn } from "./identity-providers.queries.ts";
import { leaveFor } from "./leave-for.ts";

export interface ProviderButtonsProps {
  /** "Keep me signed in". */
  isRemembered: boolean;
  onFailure: (text: string) => void;
}

/** Whether a user name is as good as an email, because a directory knows it. */
export const useHasDirectory = (): boolean => useQuery(waysIn).data?.has_directory ?? false;

/** Nothing while it is not known, or could not be: the password stays a way in. */
export function ProviderButtons({ isRemembered, onFailure }: ProviderButtonsProps) {
  const { data } = useQuery(waysIn);
  const location = useLocation();
  const session = useSession();
  // A person who signed out is asked to sign in there again: the provider may still know them.
  const hasLeft = session.status === "signed-out" && (session.by === "person" || session.by === "inactivity");
  const [leaving, setLeaving] = useState<string | null>(null);
  if (data === undefined || data.data.length === 0) return null;

  async function leave(id: string): Promise<void> {
    setLeaving(id);
    try {
      leaveFor((await begin(id, { returnTo: returnPlace(location.state), isRemembered, authenticate: hasLeft })).url);
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
