//! Responses that several endpoints share, described once for the `OpenAPI` document.

use app::Advanced;
use utoipa::{IntoResponses, ToSchema};

use crate::frame::problem::Problem;

/// The responses of an endpoint that changes a document and takes a body.
#[derive(IntoResponses)]
pub enum Changed {
    /// The document after the change.
    #[response(status = 200, description = "The document after the change.")]
    Done(Advanced),
    /// 400.
    #[response(
        status = 400,
        description = "The body is not JSON.",
        content_type = "application/problem+json"
    )]
    NotJson(Problem),
    /// 409.
    #[response(
        status = 409,
        description = "The current state does not allow this. `state` contains it.",
        content_type = "application/problem+json"
    )]
    Conflict(Problem),
    /// 422.
    #[response(
        status = 422,
        description = "The request is invalid. `errors` lists every invalid member.",
        content_type = "application/problem+json"
    )]
    Unprocessable(Problem),
}

/// The responses of an endpoint that changes a document and takes no body.
#[derive(IntoResponses)]
pub enum ChangedAsAsked {
    /// The document after the change.
    #[response(status = 200, description = "The document after the change.")]
    Done(Advanced),
    /// 409.
    #[response(
        status = 409,
        description = "The current state does not allow this. `state` contains it.",
        content_type = "application/problem+json"
    )]
    Conflict(Problem),
}

/// The bytes of a file. Used only in the description, where a list of octets would appear as an array of numbers.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub struct FileBytes(pub Vec<u8>);

/// The responses of an endpoint that returns a finished PDF.
#[derive(IntoResponses)]
pub enum FinishedFile {
    /// The PDF.
    #[response(status = 200, description = "The PDF.", content_type = "application/pdf")]
    Pdf(FileBytes),
    /// 206.
    #[response(
        status = 206,
        description = "The part that `Range` asks for.",
        content_type = "application/pdf"
    )]
    Part(FileBytes),
    /// 409.
    #[response(
        status = 409,
        description = "The current state does not allow this. `state` contains it.",
        content_type = "application/problem+json"
    )]
    Conflict(Problem),
    /// 416.
    #[response(
        status = 416,
        description = "No byte of the file is in the range; `Content-Range` says how long it is.",
        content_type = "application/problem+json"
    )]
    OutOfReach(Problem),
}
