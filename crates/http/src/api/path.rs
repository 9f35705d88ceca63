//! Ids in the path of an endpoint. A value that is not a number, or is out of range, returns 404, like an id that does
//! not exist.

use app::{Error, Subject};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::{TemplateId, WorkflowId};

use crate::frame::path::ApiPath;
use crate::frame::problem::Failure;

/// The `{id}` of a workflow, alone or with another path parameter.
#[derive(Debug, Clone, Copy)]
pub struct WorkflowPath<R = ()>(pub WorkflowId, pub R);

impl<S: Send + Sync> FromRequestParts<S> for WorkflowPath {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let path = ApiPath::<String>::from_request_parts(parts, state).await;
        let ApiPath(id) = path.map_err(|_| Error::NotFound(Subject::Workflow))?;
        Ok(Self(workflow_id(&id)?, ()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for WorkflowPath<String> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let path = ApiPath::<(String, String)>::from_request_parts(parts, state).await;
        let ApiPath((id, rest)) = path.map_err(|_| Error::NotFound(Subject::Workflow))?;
        Ok(Self(workflow_id(&id)?, rest))
    }
}

/// Declares the `{id}` of a resource that is identified by a number.
macro_rules! numbers {
    ($($(#[$outer:meta])* $name:ident($id:ty = $make:expr) of $subject:ident,)*) => {
        $(
            $(#[$outer])*
            #[derive(Debug, Clone, Copy)]
            pub struct $name(pub $id);

            impl<S: Send + Sync> FromRequestParts<S> for $name {
                type Rejection = Failure;

                async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
                    let unknown = || Error::NotFound(Subject::$subject);
                    let path = ApiPath::<String>::from_request_parts(parts, state).await;
                    let ApiPath(id) = path.map_err(|_| unknown())?;
                    Ok(Self(number(&id).map($make).ok_or_else(unknown)?))
                }
            }
        )*
    };
}

numbers! {
    TemplatePath(TemplateId = TemplateId) of Template,
    ExportPath(i64 = i64::from) of Delivery,
    BulkPath(i64 = i64::from) of Bulk,
    PublicLinkPath(i64 = i64::from) of PublicLink,
}

fn workflow_id(text: &str) -> Result<WorkflowId, Error> {
    number(text).map(WorkflowId).ok_or(Error::NotFound(Subject::Workflow))
}

pub fn number(text: &str) -> Option<i64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| digits && *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_positive_numbers_are_ids() {
        assert_eq!(number("42"), Some(42));
        for text in [
            "",
            "0",
            "-1",
            "+1",
            "1.0",
            "1e3",
            "x",
            " 1",
            "９",
            "9223372036854775808",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
