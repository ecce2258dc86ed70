// The name of an entry's connector, with a mark if it was never tested against a real system.
import type { ConnectorFacts } from "@strongroom/contract";
import { Tag } from "./tag.tsx";

export function ConnectorName({ connector }: { connector: ConnectorFacts | null }) {
  if (connector === null) return <span>No connector available</span>;
  return (
    <span>
      {connector.name} {!connector.is_proven && <Tag tone="warning">Not tested against a real system</Tag>}
    </span>
  );
}
