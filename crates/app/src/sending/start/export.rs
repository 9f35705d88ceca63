//! Reads where a start's webhooks go and what they contain (`export_api_info`), and where it leads signers at the end.

use domain::public_address::{CallbackUrl, LONGEST_URL};
use domain::{
    ApiType, ClientId, ExportSettings, Field, FieldName, LinkType, RedirectFault, RedirectUrl, TemplateVersion,
};

use super::read::{LONGEST_NAME, StartReader};
use super::request::{StartExport, StartFieldName};
use crate::base::callback::{authorization_fault, callback_fault};
use crate::base::error::{Fault, FaultCode};

impl StartReader<'_> {
    pub(super) fn export(
        &mut self,
        given: Option<&StartExport>,
        template: Option<&TemplateVersion>,
    ) -> (Option<ExportSettings>, ClientId) {
        let default = self.context.default_client;
        let Some(given) = given else {
            return (None, default);
        };
        let mut client = default;
        if let Some(text) = given.client_id.as_deref().filter(|text| !text.trim().is_empty()) {
            match ClientId::parse(text).filter(|_| self.context.named_client_known) {
                Some(named) => client = named,
                None => self.fault(Fault::new("export_api_info.client_id", FaultCode::UnknownClient)),
            }
        }
        let url = self.callback_url(given);
        let api_type = self.api_type(given);
        if given.is_embed.is_none() {
            self.fault(Fault::new("export_api_info.is_embed", FaultCode::Required));
        }
        let link_type = match given.link_type.as_deref().filter(|text| !text.is_empty()) {
            None => LinkType::default(),
            Some(text) => LinkType::parse(text).unwrap_or_else(|| {
                self.fault(
                    Fault::new("export_api_info.link_type", FaultCode::NotAllowed).with("allowed", "viewer, download"),
                );
                LinkType::default()
            }),
        };
        let authorization = given.authorization.as_deref().filter(|value| !value.is_empty());
        if let Some(fault) = authorization.and_then(|value| authorization_fault("export_api_info.authorization", value))
        {
            self.fault(fault);
        }
        let field_names = self.field_names(&given.field_names, template);
        let settings = match (url, api_type, given.is_embed) {
            (Some(url), Some(api_type), Some(is_embed)) => Some(ExportSettings {
                url: url.as_str().to_owned(),
                api_type,
                is_embed,
                link_type,
                authorization: authorization.map(str::to_owned),
                field_names,
            }),
            _ => None,
        };
        (settings, client)
    }

    /// Where signers are led at the end, if the company allows it.
    pub(super) fn redirect_url(&mut self, given: Option<&str>) -> Option<RedirectUrl> {
        let given = given.map(str::trim).filter(|text| !text.is_empty())?;
        let hosts = &self.context.style.redirect_hosts;
        let fault = match RedirectUrl::parse(given).and_then(|url| hosts.allow(url)) {
            Ok(url) => return Some(url),
            Err(RedirectFault::Malformed) => Fault::new("redirect_url", FaultCode::RedirectMalformed),
            Err(RedirectFault::TooLong) => Fault::new("redirect_url", FaultCode::TooLong).with("max", LONGEST_URL),
            Err(RedirectFault::Scheme) => Fault::new("redirect_url", FaultCode::CallbackScheme),
            Err(RedirectFault::UserInfo) => Fault::new("redirect_url", FaultCode::CallbackUserinfo),
            Err(RedirectFault::Host(host)) => Fault::new("redirect_url", FaultCode::RedirectHost).with("name", host),
        };
        self.fault(fault);
        None
    }

    fn callback_url(&mut self, given: &StartExport) -> Option<CallbackUrl> {
        match given.url.as_deref().filter(|url| !url.is_empty()) {
            None => {
                self.fault(Fault::new("export_api_info.url", FaultCode::Required));
                None
            }
            Some(text) => match CallbackUrl::parse(text, &self.app.settings.webhook) {
                Ok(url) => Some(url),
                Err(fault) => {
                    self.fault(callback_fault("export_api_info.url", &fault));
                    None
                }
            },
        }
    }

    fn api_type(&mut self, given: &StartExport) -> Option<ApiType> {
        match given.api_type.as_deref() {
            None => {
                self.fault(Fault::new("export_api_info.api_type", FaultCode::Required));
                None
            }
            Some(text) => {
                let api_type = ApiType::parse(text);
                if api_type.is_none() {
                    self.fault(
                        Fault::new("export_api_info.api_type", FaultCode::NotAllowed)
                            .with("allowed", "ALL, StartAndEnd"),
                    );
                }
                api_type
            }
        }
    }

    fn field_names(&mut self, given: &[StartFieldName], template: Option<&TemplateVersion>) -> Vec<FieldName> {
        let Some(template) = template else {
            return Vec::new();
        };
        let mut read: Vec<(usize, FieldName)> = Vec::new();
        for (index, entry) in given.iter().enumerate() {
            let path = format!("export_api_info.field_names[{index}]");
            let old = entry.field_name.as_deref().filter(|name| !name.is_empty());
            let new = entry.new_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
            let field = old.and_then(|name| template.field_called(name));
            let is_named = |field: &Field| read.iter().any(|(_, known)| known.field_name == field.name);
            match old {
                None => self.fault(Fault::new(format!("{path}.field_name"), FaultCode::Required)),
                Some(name) if field.is_none() => {
                    self.fault(Fault::new(format!("{path}.field_name"), FaultCode::UnknownField).with("name", name));
                }
                Some(name) if field.is_some_and(is_named) => {
                    self.fault(Fault::new(format!("{path}.field_name"), FaultCode::Duplicate).with("name", name));
                }
                Some(_) => {}
            }
            match new {
                None => self.fault(Fault::new(format!("{path}.new_name"), FaultCode::Required)),
                Some(name) if name.chars().count() > LONGEST_NAME => {
                    self.fault(Fault::new(format!("{path}.new_name"), FaultCode::TooLong).with("max", LONGEST_NAME));
                }
                Some(name) if name.chars().any(char::is_control) => {
                    self.fault(Fault::new(format!("{path}.new_name"), FaultCode::ControlCharacter));
                }
                Some(_) => {}
            }
            if let (Some(old), Some(new)) = (old, new) {
                read.push((
                    index,
                    FieldName {
                        field_name: field.map_or(old, |field| &field.name).to_owned(),
                        new_name: new.to_owned(),
                    },
                ));
            }
        }
        for (index, entry) in &read {
            let collides = read
                .iter()
                .any(|(other, known)| other != index && known.new_name == entry.new_name)
                || template.named_fields().any(|field| {
                    field.name == entry.new_name && !read.iter().any(|(_, known)| known.field_name == field.name)
                });
            if collides {
                let path = format!("export_api_info.field_names[{index}].new_name");
                self.fault(Fault::new(path, FaultCode::NameCollision).with("name", &entry.new_name));
            }
        }
        read.into_iter().map(|(_, entry)| entry).collect()
    }
}
