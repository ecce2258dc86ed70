// Says of a name in a list that it is no person: a machine identity, known by its address.
import { IconRobot } from "@tabler/icons-react";
import { isMachineAddress } from "@strongroom/contract";
import { Tag } from "./tag.tsx";

/** Nothing for a person, and for a group, which has no address. */
export function MachineBadge({ email }: { email: string | null }) {
  if (!isMachineAddress(email)) return null;
  return (
    <Tag icon={<IconRobot size={13} aria-hidden />} title="Acts by API tokens alone">
      Machine
    </Tag>
  );
}
