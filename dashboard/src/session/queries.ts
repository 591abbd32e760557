import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";

/** The cache of what pages have read; `onError` is called with every error of a query or a change. */
export function createQueries(onError: (error: unknown) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // The SDK repeats what is worth repeating.
    defaultOptions: { queries: { retry: false, staleTime: 5_000 }, mutations: { retry: false } },
  });
}
