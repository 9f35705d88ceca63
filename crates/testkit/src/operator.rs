//! The operator, for tests that do what the command line does.

use app::{Actor, App};
use domain::CompanyId;

/// The operator, who acts for this company.
pub fn operator(app: &App, company: &CompanyId) -> Actor {
    app.operator(company).expect("the company")
}
