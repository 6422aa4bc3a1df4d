//! What to do when an object store refuses a request.

use capitalbench_adapters::http::HttpError;
use capitalbench_adapters::s3::S3Error;

/// A next step for the operator.
pub(super) fn advice(error: &S3Error) -> &'static str {
    match error {
        S3Error::Refused { status, code, .. } => {
            of_code(code).unwrap_or_else(|| of_status(*status))
        }
        S3Error::Page { .. } | S3Error::Unreadable(_) => {
            "see that AWS_ENDPOINT_URL leads to the object store itself, and not to its web page or to \
             a proxy"
        }
        S3Error::Http(HttpError::Connect { .. }) => {
            "see that AWS_ENDPOINT_URL is right, that the server runs and that this machine reaches it"
        }
        S3Error::Http(HttpError::NotAsked { .. }) => "allow it, or correct AWS_ENDPOINT_URL",
        S3Error::Http(_) => "try again; if it stays, see that AWS_ENDPOINT_URL is right",
        S3Error::Address(_) => "correct AWS_ENDPOINT_URL",
    }
}

fn of_code(code: &str) -> Option<&'static str> {
    Some(match code {
        "RequestTimeTooSkewed" => {
            "set the clock of this machine: it differs from that of the store"
        }
        "PermanentRedirect"
        | "TemporaryRedirect"
        | "AuthorizationHeaderMalformed"
        | "IllegalLocationConstraintException" => {
            "set AWS_REGION to the region of the bucket, and AWS_ENDPOINT_URL to its address where it \
             is not Amazon's"
        }
        "NoSuchBucket" => "correct the name of the bucket, or make the bucket first",
        "AccessDenied" | "AllAccessDisabled" => {
            "give the key the right to do this: readers need ListBucket and GetObject, writers also \
             PutObject and DeleteObject"
        }
        "ExpiredToken" | "InvalidToken" | "TokenRefreshRequired" => {
            "set AWS_SESSION_TOKEN and the key that came with it anew, or unset it where the key needs \
             none"
        }
        "InvalidAccessKeyId" => "correct AWS_ACCESS_KEY_ID: the store does not know this key",
        "SignatureDoesNotMatch" => {
            "correct AWS_SECRET_ACCESS_KEY: it does not fit AWS_ACCESS_KEY_ID"
        }
        "SlowDown" | "ServiceUnavailable" => "wait a while and try again: the store is too busy",
        "NotImplemented" => NO_CONDITIONS,
        _ => return None,
    })
}

fn of_status(status: u16) -> &'static str {
    match status {
        301 | 302 | 307 | 308 => of_code("PermanentRedirect"),
        401 | 403 => of_code("AccessDenied"),
        404 => of_code("NoSuchBucket"),
        429 | 503 => of_code("SlowDown"),
        501 => of_code("NotImplemented"),
        _ => None,
    }
    .unwrap_or(
        "see that AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL are those \
         of the bucket",
    )
}

const NO_CONDITIONS: &str = "use a store that honours conditional writes (If-None-Match and If-Match): \
                             this one ignores or refuses them";

#[cfg(test)]
mod tests;
