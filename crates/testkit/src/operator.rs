//! The operator, for tests that act like the command line.

use app::{Actor, App};
use domain::CompanyId;

/// Returns the operator as an actor for this company.
pub fn operator(app: &App, company: &CompanyId) -> Actor {
    app.operator(company).expect("the company")
}
