//! `template import`, `template list`.

use std::path::PathBuf;
use std::process::ExitCode;

use app::{ImportTemplate, TemplateFilter};
use clap::Subcommand;
use serde_json::{Value, json};

use super::{Context, OfCompany, read};
use crate::output::{Failure, print, remark, table};

/// Import and list templates
#[derive(Debug, Subcommand)]
pub enum Template {
    /// Take a PDF with fields in; prints the `template_id` alone
    Import {
        #[command(flatten)]
        of: OfCompany,
        /// The PDF
        file: PathBuf,
        /// The fields and steps (FIELDS.json)
        #[arg(long, value_name = "FIELDS.json")]
        fields: PathBuf,
    },
    /// List a company's templates
    List {
        #[command(flatten)]
        of: OfCompany,
    },
}

impl Template {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self {
            Template::Import { of, file, fields } => {
                let (pdf, fields) = (read(&file)?, read(&fields)?);
                let app = context.open()?.app;
                let import = ImportTemplate {
                    pdf: &pdf,
                    fields: &fields,
                };
                let imported = app.import_template(&of.company, "command line", &import)?;
                for change in &imported.changes {
                    remark(context.json, &format!("{}: {change}", file.display()));
                }
                let changes: Vec<String> = imported.changes.iter().map(ToString::to_string).collect();
                let value = json!({
                    "template_id": imported.id,
                    "name": imported.name,
                    "pages": imported.pages,
                    "changes": changes,
                });
                print(context.json, &value, &imported.id.to_string());
            }
            Template::List { of } => {
                let app = context.open()?.app;
                app.company(&of.company)?;
                let filter = TemplateFilter {
                    with_archived: true,
                    ..TemplateFilter::default()
                };
                let mut templates = Vec::new();
                loop {
                    let before = templates.last().map(|template: &app::TemplateSummary| template.id);
                    let page = app.templates(&of.company, TemplateFilter { before, ..filter })?;
                    if page.is_empty() {
                        break;
                    }
                    templates.extend(page);
                }
                let values: Vec<Value> = templates
                    .iter()
                    .map(|template| {
                        json!({
                            "template_id": template.id,
                            "name": template.name,
                            "version": template.current_version,
                            "created_at": template.created_at,
                            "archived_at": template.archived_at,
                        })
                    })
                    .collect();
                let rows: Vec<Vec<String>> = templates
                    .iter()
                    .map(|template| {
                        let archived = if template.archived_at.is_some() { "archived" } else { "" };
                        vec![
                            template.id.to_string(),
                            template.name.clone(),
                            template.current_version.to_string(),
                            archived.to_owned(),
                        ]
                    })
                    .collect();
                print(
                    context.json,
                    &Value::from(values),
                    &table(&["ID", "NAME", "VERSION", ""], &rows),
                );
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
