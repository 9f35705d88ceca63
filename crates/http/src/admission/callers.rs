//! Decides which requests to admit: those with a valid token, and those from our own pages.

use app::Error;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use domain::ClientNetwork;

use super::requester::address_of;
use crate::frame::caller::Authenticated;
use crate::frame::problem::{CompanyLanguage, Failure};
use crate::frame::route::Access;
use crate::frame::state::Http;
use crate::html::ending::{About, Ending};
use crate::html::request::PageRequest;

/// Runs a handler only if the caller's token is valid and their role is sufficient.
pub async fn authenticate(
    State((http, access)): State<(Http, Access)>,
    request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let token = bearer(request.headers(), &http.app().settings.auth_scheme)
        .ok_or(Error::Unauthenticated)?
        .to_owned();
    let (mut parts, body) = request.into_parts();
    let address = address_of(&http, &mut parts).await;
    let network = ClientNetwork::of(address);
    let caller = http.look_up(network, move |app| app.authenticate(&token)).await?;
    let language = CompanyLanguage(caller.language());
    let mut response = match caller.must(access) {
        Ok(()) => {
            parts.extensions.insert(Authenticated(caller.at(address)));
            next.run(Request::from_parts(parts, body)).await
        }
        Err(refused) => Failure::App(refused).into_response(),
    };
    response.extensions_mut().insert(language);
    Ok(response)
}

/// Refuses members whose role does not allow the page. Runs after the session has been identified.
pub async fn must_be_allowed(State((http, access)): State<(Http, Access)>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let page = PageRequest::of(&mut parts, &http).await;
    let refused = page.member.as_ref().and_then(|session| {
        let error = session.actor.must(access).err()?;
        Some((error, page.language_or(session.actor.language())))
    });
    match refused {
        Some((error, language)) => page.fail(&error, language),
        None => next.run(Request::from_parts(parts, body)).await,
    }
}

/// Refuses requests from other sites' pages that would change something with a member's cookie.
pub async fn from_our_pages(page: PageRequest, request: Request, next: Next) -> Response {
    if page.is_from_elsewhere() {
        return page.end(Ending::Forbidden, page.language(), &About::default());
    }
    next.run(request).await
}

/// Returns the access token of an `Authorization` header, after the service's scheme or `Bearer` in any case (RFC 9110,
/// 11.1).
fn bearer<'a>(headers: &'a HeaderMap, scheme: &str) -> Option<&'a str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim();
    let (word, token) = value.split_once([' ', '\t'])?;
    (word.eq_ignore_ascii_case(scheme) || word.eq_ignore_ascii_case("bearer")).then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_scheme_words_in_any_case() {
        for (value, expected) in [
            ("service abc", Some("abc")),
            ("SERVICE abc", Some("abc")),
            ("bearer  abc ", Some("abc")),
            ("Bearer abc", Some("abc")),
            ("Basic abc", None),
            ("serviceabc", None),
            ("service", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, value.parse().expect("a header value"));
            assert_eq!(bearer(&headers, "service"), expected, "{value:?}");
        }
        assert_eq!(bearer(&HeaderMap::new(), "service"), None);
    }
}
