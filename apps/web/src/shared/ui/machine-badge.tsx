// Marks a name in a list as a machine identity, recognised by its email address.
import { IconRobot } from "@tabler/icons-react";
import { isMachineAddress } from "@strongroom/contract";
import { Tag } from "./tag.tsx";

/** Renders nothing for a person, or for a group, which has no email. */
export function MachineBadge({ email }: { email: string | null }) {
  if (!isMachineAddress(email)) return null;
  return (
    <Tag icon={<IconRobot size={13} aria-hidden />} title="Acts only through API tokens">
      Machine
    </Tag>
  );
}
