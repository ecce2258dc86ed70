// The icon of a credential's type.
import {
  IconApi,
  IconAppWindow,
  IconCertificate,
  IconDatabase,
  IconKey,
  IconPassword,
  IconServer,
  IconTerminal2,
  type Icon,
} from "@tabler/icons-react";
import { isDatabaseType, type CredentialType } from "@strongroom/contract";

const ICONS: Partial<Record<CredentialType, Icon>> = {
  password: IconPassword,
  ssh: IconTerminal2,
  api_token: IconKey,
  certificate: IconCertificate,
  application: IconAppWindow,
  api: IconApi,
  server: IconServer,
};

export function CredentialIcon({ type, size = 18 }: { type: CredentialType; size?: number }) {
  const TypeIcon = isDatabaseType(type) ? IconDatabase : (ICONS[type] ?? IconKey);
  return <TypeIcon size={size} stroke={1.6} aria-hidden />;
}
