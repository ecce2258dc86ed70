// The one query client of the app.
import { createQueryClient } from "#shared/api/query.ts";

export const queryClient = createQueryClient();
