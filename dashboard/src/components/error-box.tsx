import { isFoyerError } from "foyer-sdk";

/** What Foyer refused, with what a person needs to find it in the log: code, message, request id. */
export function ErrorBox({ error, retry }: { error: unknown; retry?: () => void }) {
  const { code, message, requestId, issues } = describe(error);
  return (
    <div className="error-box" role="alert">
      <p className="error-message">{message}</p>
      {issues.length > 0 && (
        <ul>
          {issues.map((issue) => (
            <li key={issue}>{issue}</li>
          ))}
        </ul>
      )}
      <dl className="error-facts">
        <div>
          <dt>Code</dt>
          <dd>
            <code>{code}</code>
          </dd>
        </div>
        {requestId && (
          <div>
            <dt>Request</dt>
            <dd>
              <code>{requestId}</code>
            </dd>
          </div>
        )}
      </dl>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

function describe(error: unknown) {
  if (!isFoyerError(error)) return { code: "UNKNOWN", message: String(error), requestId: null, issues: [] };
  const issues = error.errors.map(
    ({ path, message }) => `${path.slice(0, -1).join(".") || path.join(".")}: ${message}`,
  );
  return { code: error.code, message: error.message, requestId: error.requestId, issues };
}
