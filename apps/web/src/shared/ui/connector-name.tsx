// Which connector serves an entry, marked when it was never tried out on a real system.
import type { ConnectorFacts } from "@strongroom/contract";
import { Tag } from "./tag.tsx";

export function ConnectorName({ connector }: { connector: ConnectorFacts | null }) {
  if (connector === null) return <span>None for this kind</span>;
  return (
    <span>
      {connector.name} {!connector.is_proven && <Tag tone="warning">Not proven against a real system</Tag>}
    </span>
  );
}
